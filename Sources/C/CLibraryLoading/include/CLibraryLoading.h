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

/// Looks a function up in an open library, for the table `library` and the Boolean value `is_complete` of the caller.
#define HALCYON_LOAD_FUNCTION_FROM(handle, name)                   \
    library.name = (__typeof__(library.name))dlsym(handle, #name); \
    is_complete = is_complete && library.name != NULL;

/// The same in the library `handle`.
#define HALCYON_LOAD_FUNCTION(name) HALCYON_LOAD_FUNCTION_FROM(handle, name)

/// Defines the function that returns the table of a library's functions, or `NULL` where the library is not installed. It
/// loads the library on first use, and never unloads it.
///
/// `FUNCTIONS` calls a macro with each name in the table. The rest are names of files, of which the first that is there is loaded.
#define HALCYON_DEFINE_LIBRARY(Library, function, FUNCTIONS, ...)                     \
    static Library library;                                                           \
    static HalcyonLibraryState state;                                                 \
                                                                                      \
    static bool load(void) {                                                          \
        static const char *const files[] = {__VA_ARGS__};                             \
        void *handle = NULL;                                                          \
        for (size_t i = 0; handle == NULL && i < sizeof files / sizeof *files; i++) { \
            handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);                         \
        }                                                                             \
        if (handle == NULL) {                                                         \
            return false;                                                             \
        }                                                                             \
        bool is_complete = true;                                                      \
        FUNCTIONS(HALCYON_LOAD_FUNCTION)                                              \
        return is_complete;                                                           \
    }                                                                                 \
                                                                                      \
    const Library *function(void) {                                                   \
        return halcyon_load_library(&state, load) ? &library : NULL;                  \
    }

#endif
