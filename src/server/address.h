/* Addresses of this machine that a server listens at. */
#ifndef TFPROF_SERVER_ADDRESS_H
#define TFPROF_SERVER_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

enum { ADDRESS_TEXT = INET6_ADDRSTRLEN + 2 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Such as 127.0.0.1 or ::1. */
bool address_parse(const char *host, union address *address);

/* The address that a client came to, as in a URL; empty if it cannot be told. */
void address_put_local(char text[ADDRESS_TEXT], int fd);

#endif
