/* The API: a path and the route that answers it. */
#ifndef TFPROF_SERVER_ROUTES_H
#define TFPROF_SERVER_ROUTES_H

#include "server/call.h"

/* Every line needs a function route_NAME in its own file or in that of a related route. */
#define ROUTES(X)    \
	X(load)      \
	X(reload)    \
	X(ask)       \
	X(kinds)     \
	X(profile)   \
	X(options)   \
	X(rows)      \
	X(tree)      \
	X(lines)     \
	X(callers)   \
	X(diff)      \
	X(lanes)     \
	X(slices)    \
	X(flows)     \
	X(links)     \
	X(sums)      \
	X(advice)    \
	X(checkers)  \
	X(selection) \
	X(next)      \
	X(node)      \
	X(graph)     \
	X(busy)      \
	X(memory)    \
	X(held)      \
	X(holders)   \
	X(check)     \
	X(command)   \
	X(export)    \
	X(find)      \
	X(text)      \
	X(model)

#define X(name) route_fn route_##name;
ROUTES(X)
#undef X

/* NULL if there is none at this path ("/api/rows"). */
route_fn *route_at(const char *path);

#endif
