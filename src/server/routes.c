#include "server/routes.h"

#include <string.h>

static const struct {
	const char *path;
	route_fn *fn;
} routes[] = {
#define X(name) {"/api/" #name, route_##name},
	ROUTES(X)
#undef X
};

route_fn *route_at(const char *path)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
		if (strcmp(path, routes[i].path) == 0)
			return routes[i].fn;
	return NULL;
}
