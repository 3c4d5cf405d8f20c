#ifndef HALCYON_SYSTEM_CALLS_H
#define HALCYON_SYSTEM_CALLS_H

#include "CIsolation.h"

/// Filters the system calls of all threads from here on. Returns 0, or what `errno` was.
int halcyon_filter_system_calls(HalcyonFilter filter, bool opens_files, bool is_strict);

#endif
