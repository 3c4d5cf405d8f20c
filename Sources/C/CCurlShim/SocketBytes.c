#include "SocketBytes.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
// Not <netinet/tcp.h>, whose `tcp_info` ends before the counts of bytes.
#include <linux/sockios.h>
#include <linux/tcp.h>

bool halcyon_socket_bytes_read(int socket, uint64_t *count) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    int unread = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
    // Before Linux 4.1, the structure is shorter.
    if (length < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return false;
    if (ioctl(socket, SIOCINQ, &unread) != 0 || unread < 0) return false;
    // The end of the stream counts as a byte that is never read.
    uint64_t received = info.tcpi_bytes_received;
    *count = received > (uint64_t)unread ? received - (uint64_t)unread : 0;
    return true;
}
