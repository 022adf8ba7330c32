#!/bin/sh
# Adds the page, as built, to a release (`meson dist` calls this), which then builds without npm.
set -eu
command -v npm >/dev/null 2>&1 || {
	echo "web/dist.sh: a release carries the page as built: install npm" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$MESON_DIST_ROOT/web/build.sh" "$MESON_DIST_ROOT/web" "$work" "$work/sources.d"
mkdir "$MESON_DIST_ROOT/web/built"
cp "$work"/*.gz "$work/web_assets.h" "$work/LICENSES" "$MESON_DIST_ROOT/web/built"
