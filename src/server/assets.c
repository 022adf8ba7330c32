#include "server/assets.h"

#include <string.h>
#include <web_assets.h> /* changes with the files below */

/* path, file, MIME type; the build makes the files gzip'd in the directory WEB_BUILD */
#define ASSETS(X)                                                                 \
	X("/", index, "index.html", "text/html; charset=utf-8")                   \
	X("/app.js", app_js, "app.js", "text/javascript; charset=utf-8")          \
	X("/layout.js", layout_js, "layout.js", "text/javascript; charset=utf-8") \
	X("/app.css", app_css, "app.css", "text/css; charset=utf-8")              \
	X("/icon.svg", icon, "icon.svg", "image/svg+xml")

/* An array initializer would take the compiler seconds and a gigabyte. */
#define X(path, name, file, type)                                                           \
	__asm__(".section .rodata\n"                                                        \
		"asset_" #name "_begin:\n"                                                  \
		".incbin \"" WEB_BUILD "/" file ".gz\"\n"                                   \
		"asset_" #name "_end:\n"                                                    \
		".previous\n");                                                             \
	extern const unsigned char asset_##name##_begin[] __asm__("asset_" #name "_begin"), \
		asset_##name##_end[] __asm__("asset_" #name "_end");
ASSETS(X)
#undef X

static const struct asset assets[] = {
#define X(path, name, file, type) {path, type, asset_##name##_begin, asset_##name##_end},
	ASSETS(X)
#undef X
};

const struct asset *asset_find(const char *path)
{
	for (size_t i = 0; i < sizeof(assets) / sizeof(*assets); i++)
		if (strcmp(path, assets[i].path) == 0)
			return &assets[i];
	return NULL;
}
