// Libraries that are loaded on first use.
#ifndef HALCYON_LIBRARY_LOADING_H
#define HALCYON_LIBRARY_LOADING_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/// Whether a library is loaded. Zero at first.
typedef struct {
    pthread_mutex_t mutex;
    atomic_bool is_loaded;
} HalcyonLibraryState;

/// Calls a function that loads a library, until it has returned true once. What was in the way, such as too many open files, may
/// be gone at the next call.
static inline bool halcyon_load_library(HalcyonLibraryState *state, bool (*load)(void)) {
    if (atomic_load_explicit(&state->is_loaded, memory_order_acquire)) {
        return true;
    }
    pthread_mutex_lock(&state->mutex);
    bool is_loaded = atomic_load_explicit(&state->is_loaded, memory_order_relaxed) || load();
    atomic_store_explicit(&state->is_loaded, is_loaded, memory_order_release);
    pthread_mutex_unlock(&state->mutex);
    return is_loaded;
}

#endif
