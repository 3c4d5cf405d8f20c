#define _GNU_SOURCE
#include "processors.h"

#include <pthread.h>
#include <sched.h>

int halcyon_stay_on_processor(int number) {
    cpu_set_t allowed, chosen;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return -1;
    }
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, &allowed) && number-- == 0) {
            CPU_ZERO(&chosen);
            CPU_SET(processor, &chosen);
            return pthread_setaffinity_np(pthread_self(), sizeof chosen, &chosen) == 0 ? 0 : -1;
        }
    }
    return -1;
}
