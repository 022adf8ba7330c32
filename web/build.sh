#!/bin/sh
# Bundles the page: web/build.sh SOURCE_DIRECTORY OUTPUT_DIRECTORY DEPFILE
#
# Packages go to the output directory, not to the checkout.
set -eu
source=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
if ! cmp -s "$source/package-lock.json" "$out/package-lock.json"; then
	cp "$source/package.json" "$source/package-lock.json" "$out"
	(cd "$out" && npm ci --ignore-scripts --no-audit --no-fund --silent) ||
		{ rm -f "$out/package-lock.json"; exit 1; }
fi
for entry in app layout; do
	NODE_PATH="$out/node_modules" "$out/node_modules/.bin/esbuild" "$source/src/$entry.ts"* \
		--bundle --minify --target=es2022 --format=esm --jsx=automatic --jsx-import-source=preact \
		--legal-comments=none --log-level=warning --outfile="$out/$entry.js"
done
"$out/node_modules/.bin/esbuild" "$source/app.css" --bundle --minify --log-level=warning --outfile="$out/app.css"
cp "$source/index.html" "$source/icon.svg" "$out"
for file in index.html app.js layout.js app.css icon.svg; do
	gzip -9nc "$out/$file" >"$out/$file.gz.part"
	mv "$out/$file.gz.part" "$out/$file.gz"
done
# The licences of what is bundled, for those who pass the page on.
(cd "$out" && npm ls --all --omit=dev --parseable) | sed 1d | while read -r package; do
	printf '%s\n\n' "${package##*/node_modules/}"
	cat "$package/LICENSE"
	echo
done >"$out/LICENSES"
# The compiler does not see which files an assembler includes: it recompiles when this changes.
printf '#define WEB_ASSETS "%s"\n' "$(cat "$out"/*.gz | sha256sum | cut -c1-16)" >"$out/web_assets.h"
# For the build to watch: a source that is removed or renamed must not stop the next one.
find "$source/src" -name '*.ts' -o -name '*.tsx' | sort | sed '1s|^|web/index.html.gz: |; $!s|$| \\|' >"$3"
