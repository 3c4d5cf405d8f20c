#ifndef HALCYON_PROCESSOR_H
#define HALCYON_PROCESSOR_H

// glibc declares it for _GNU_SOURCE only, which Swift's import of it does not set.
int sched_getcpu(void);

// The number of the processor that this thread runs on, or was running on a moment ago; below zero if unknown.
static inline int halcyon_current_processor(void) { return sched_getcpu(); }

#endif
