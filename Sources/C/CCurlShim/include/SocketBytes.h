// The kernel's count of what was read from a connection.
#ifndef HALCYON_SOCKET_BYTES_H
#define HALCYON_SOCKET_BYTES_H

#include <stdbool.h>
#include <stdint.h>

// The bytes that this process has read from a TCP socket since it was connected; false if the kernel does not tell.
bool halcyon_socket_bytes_read(int socket, uint64_t *count);

#endif
