#include "CHiredisShim.h"

#include <stdlib.h>
#include <string.h>

// hiredis 1.0 counts elements with `size_t`, older versions with `int`.
#if HIREDIS_MAJOR >= 1
typedef size_t ElementCount;
#else
typedef int ElementCount;
#endif

void halcyon_hiredis_free_reply(void *object) {
    redisReply *reply = object;
    if (reply == NULL) {
        return;
    }
    if (reply->element != NULL) {
        for (size_t i = 0; i < reply->elements; i++) {
            halcyon_hiredis_free_reply(reply->element[i]);
        }
        free(reply->element);
    }
    free(reply->str);
    free(reply);
}

// The nesting is bounded by the reader: 7 levels in 0.14, 9 in 1.0 and newer.
static redisReply *make_reply(const redisReadTask *task, int type) {
    redisReply *reply = calloc(1, sizeof(*reply));
    if (reply == NULL) {
        return NULL;
    }
    reply->type = type;
    if (task->parent != NULL) {
        redisReply *parent = task->parent->obj;
        parent->element[task->idx] = reply;
    }
    return reply;
}

// The budget is the reader's private value, which each task passes on.
static HalcyonReplyBudget *budget_of(const redisReadTask *task) { return task->privdata; }

static bool take(size_t *left, size_t count, HalcyonReplyBudget *budget) {
    if (count > *left) {
        budget->is_exceeded = true;
        return false;
    }
    *left -= count;
    return true;
}

static void *create_string(const redisReadTask *task, char *bytes, size_t length) {
    HalcyonReplyBudget *budget = budget_of(task);
    if (!take(&budget->bytes, length, budget)) {
        return NULL;
    }
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, bytes, length);
    copy[length] = 0;
    redisReply *reply = make_reply(task, task->type);
    if (reply == NULL) {
        free(copy);
        return NULL;
    }
    reply->str = copy;
    reply->len = length;
    return reply;
}

static void *create_array(const redisReadTask *task, ElementCount count) {
    HalcyonReplyBudget *budget = budget_of(task);
    if (!take(&budget->elements, (size_t)count, budget)) {
        return NULL;
    }
    redisReply **elements = NULL;
    if (count > 0) {
        elements = calloc((size_t)count, sizeof(*elements));
        if (elements == NULL) {
            return NULL;
        }
    }
    redisReply *reply = make_reply(task, task->type);
    if (reply == NULL) {
        free(elements);
        return NULL;
    }
    reply->element = elements;
    reply->elements = (size_t)count;
    return reply;
}

static void *create_integer(const redisReadTask *task, long long value) {
    redisReply *reply = make_reply(task, REDIS_REPLY_INTEGER);
    if (reply != NULL) {
        reply->integer = value;
    }
    return reply;
}

static void *create_nil(const redisReadTask *task) { return make_reply(task, REDIS_REPLY_NIL); }

#if HIREDIS_MAJOR >= 1
// Not of the second version of the protocol, which alone is spoken. A reader without these functions would call `NULL`.
static void *create_double(const redisReadTask *task, double value, char *text, size_t length) {
    (void)value;
    return create_string(task, text, length);
}

static void *create_bool(const redisReadTask *task, int value) { return create_integer(task, value); }
#endif

static redisReplyObjectFunctions functions = {
    .createString = create_string,
    .createArray = create_array,
    .createInteger = create_integer,
#if HIREDIS_MAJOR >= 1
    .createDouble = create_double,
    .createBool = create_bool,
#endif
    .createNil = create_nil,
    .freeObject = halcyon_hiredis_free_reply,
};

bool halcyon_hiredis_bound(redisContext *context, HalcyonReplyBudget *budget) {
    redisReader *reader = redisReaderCreateWithFunctions(&functions);
    if (reader == NULL) {
        return false;
    }
    reader->privdata = budget;
    redisReaderFree(context->reader);
    context->reader = reader;
    return true;
}
