#ifndef HALCYON_REFERENCE_FILES_H
#define HALCYON_REFERENCE_FILES_H

#include <stddef.h>

// open, fstat, read, close, into memory taken for it and given back. Returns the bytes read, or -1.
long long halcyon_reference_read_file(const char *path);

// Writes a temporary file and renames it, without fsync. Returns 0, or -1.
int halcyon_reference_write_file(const char *path, const char *temporary, const void *bytes, size_t count);

// The same with fsync of the file before the renaming, and of the folder that holds it after.
int halcyon_reference_write_file_durably(
    const char *path, const char *temporary, const char *folder, const void *bytes, size_t count);

// Opens an SQLite file, reads the number of rows of its schema, and closes it. Returns that number, or -1.
int halcyon_reference_open_sqlite(const char *path);

#endif
