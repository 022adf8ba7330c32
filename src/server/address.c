#include "server/address.h"

#include <arpa/inet.h>
#include <stdio.h>

bool address_parse(const char *host, union address *address)
{
	*address = (union address){0};
	if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
		address->v4.sin_family = AF_INET;
		return true;
	}
	if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1) {
		address->v6.sin6_family = AF_INET6;
		return true;
	}
	return false;
}

void address_put_local(char text[ADDRESS_TEXT], int fd)
{
	union address address = {0};
	socklen_t size = sizeof(address);
	char host[INET6_ADDRSTRLEN];

	*text = '\0';
	if (getsockname(fd, &address.any, &size) != 0)
		return;
	if (address.any.sa_family == AF_INET &&
		inet_ntop(AF_INET, &address.v4.sin_addr, host, sizeof(host)))
		snprintf(text, INET6_ADDRSTRLEN, "%s", host);
	else if (address.any.sa_family == AF_INET6 &&
		inet_ntop(AF_INET6, &address.v6.sin6_addr, host, sizeof(host)))
		snprintf(text, ADDRESS_TEXT, "[%s]", host);
}
