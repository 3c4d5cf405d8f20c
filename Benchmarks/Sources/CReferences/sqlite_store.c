#include "sqlite_store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct halcyon_reference_store {
    sqlite3 *connection;
    sqlite3_stmt *put;
    sqlite3_stmt *get;
};

halcyon_reference_store *halcyon_reference_store_open(const char *path, bool is_durable) {
    halcyon_reference_store *store = calloc(1, sizeof(*store));
    if (!store) {
        return NULL;
    }
    if (sqlite3_open_v2(path, &store->connection,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
        sqlite3_exec(store->connection,
            "PRAGMA journal_mode = WAL;"
            "PRAGMA cache_size = -8192;"
            "CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, bytes BLOB NOT NULL)",
            NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(store->connection, is_durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
            NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v3(store->connection, "INSERT OR REPLACE INTO entry VALUES (?1, ?2)", -1,
            SQLITE_PREPARE_PERSISTENT, &store->put, NULL) != SQLITE_OK ||
        sqlite3_prepare_v3(store->connection, "SELECT bytes FROM entry WHERE key = ?1", -1,
            SQLITE_PREPARE_PERSISTENT, &store->get, NULL) != SQLITE_OK) {
        halcyon_reference_store_close(store);
        return NULL;
    }
    return store;
}

void halcyon_reference_store_close(halcyon_reference_store *store) {
    if (!store) {
        return;
    }
    sqlite3_finalize(store->put);
    sqlite3_finalize(store->get);
    sqlite3_close(store->connection);
    free(store);
}

int halcyon_reference_store_begin(halcyon_reference_store *store) {
    return sqlite3_exec(store->connection, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

int halcyon_reference_store_commit(halcyon_reference_store *store) {
    return sqlite3_exec(store->connection, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

int halcyon_reference_store_put(halcyon_reference_store *store, const char *key, const void *bytes, size_t count) {
    sqlite3_bind_text(store->put, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(store->put, 2, bytes, count, SQLITE_STATIC);
    int code = sqlite3_step(store->put);
    sqlite3_reset(store->put);
    return code == SQLITE_DONE ? 0 : -1;
}

long long halcyon_reference_store_get(halcyon_reference_store *store, const char *key) {
    long long count = -1;
    sqlite3_bind_text(store->get, 1, key, -1, SQLITE_STATIC);
    if (sqlite3_step(store->get) == SQLITE_ROW) {
        count = sqlite3_column_bytes(store->get, 0);
        char *copy = malloc((size_t)count + 1);
        if (copy) {
            memcpy(copy, sqlite3_column_blob(store->get, 0), (size_t)count);
            // The copy leaves through an opaque statement, or the compiler may drop it.
            __asm__ volatile("" : : "r"(copy) : "memory");
            free(copy);
        }
    }
    sqlite3_reset(store->get);
    return count;
}
