#ifndef HALCYON_PROCESSOR_H
#define HALCYON_PROCESSOR_H

// glibc declares it for _GNU_SOURCE only, which Swift's import of it does not set.
int sched_getcpu(void);

// The number of the processor that this thread runs on, or was running on a moment ago; below zero if unknown.
static inline int halcyon_current_processor(void) { return sched_getcpu(); }

// Tells the processor that a loop waits for another one.
static inline void halcyon_spin_hint(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
