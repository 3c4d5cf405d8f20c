#include "files.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

long long halcyon_reference_read_file(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    struct stat status;
    long long count = -1;
    if (fstat(file, &status) == 0) {
        char *buffer = malloc((size_t)status.st_size);
        if (buffer) {
            count = read(file, buffer, (size_t)status.st_size);
            // The buffer leaves through an opaque statement, or the compiler may drop it.
            __asm__ volatile("" : : "r"(buffer) : "memory");
            free(buffer);
        }
    }
    close(file);
    return count;
}

int halcyon_reference_write_file(const char *path, const char *temporary, const void *bytes, size_t count) {
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return -1;
    }
    ssize_t written = write(file, bytes, count);
    close(file);
    if (written != (ssize_t)count) {
        unlink(temporary);
        return -1;
    }
    return rename(temporary, path);
}

int halcyon_reference_write_file_durably(
    const char *path, const char *temporary, const char *folder, const void *bytes, size_t count) {
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return -1;
    }
    int failed = write(file, bytes, count) != (ssize_t)count || fsync(file) != 0;
    close(file);
    if (failed || rename(temporary, path) != 0) {
        unlink(temporary);
        return -1;
    }
    // The name is on the device once the folder is.
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        return -1;
    }
    int result = fsync(directory);
    close(directory);
    return result;
}

int halcyon_reference_open_sqlite(const char *path) {
    sqlite3 *connection = NULL;
    sqlite3_stmt *statement = NULL;
    int count = -1;
    if (sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(connection, "SELECT count(*) FROM sqlite_schema", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        count = sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return count;
}
