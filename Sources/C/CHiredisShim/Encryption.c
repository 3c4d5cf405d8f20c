#include "CHiredisShim.h"
#include "CLibraryLoading.h"

#include <arpa/inet.h>
#include <stdio.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
// Of the same version as the hiredis that this is linked to, whose structures it uses.
#define LIBRARY "libhiredis_ssl.so." TEXT(HIREDIS_SONAME)

#if HIREDIS_MAJOR < 1

const char *halcyon_hiredis_tls_problem(void) {
    return "hiredis " TEXT(HIREDIS_MAJOR) "." TEXT(HIREDIS_MINOR) " has no encryption; it needs 1.0 or newer with libhiredis_ssl";
}

bool halcyon_hiredis_start_tls(
    redisContext *context, const char *host, const HalcyonEngineTLS *options, char *reason, size_t reason_size) {
    (void)context;
    (void)host;
    (void)options;
    snprintf(reason, reason_size, "%s", halcyon_hiredis_tls_problem());
    return false;
}

#else

// OpenSSL's own declarations are not needed to build, as the library is not either.
typedef struct ssl_st SSL;
typedef struct ssl_ctx_st Context;

// Of OpenSSL's headers: SSL_VERIFY_PEER, SSL_FILETYPE_PEM, SSL_CTRL_SET_TLSEXT_HOSTNAME, SSL_CTRL_SET_MIN_PROTO_VERSION,
// TLS1_2_VERSION and TLSEXT_NAMETYPE_host_name.
enum {
    VERIFY_PEER = 1,
    PEM = 1,
    CONTROL_HOST_NAME = 55,
    CONTROL_LEAST_VERSION = 123,
    TLS_1_2 = 0x0303,
    NAME_TYPE_HOST = 0,
};

static struct {
    int (*initiate)(redisContext *, SSL *);
    const void *(*client_method)(void);
    Context *(*new_context)(const void *);
    void (*free_context)(Context *);
    long (*control_context)(Context *, int, long, void *);
    int (*default_authorities)(Context *);
    int (*load_authorities)(Context *, const char *, const char *);
    int (*use_certificate)(Context *, const char *);
    int (*use_key)(Context *, const char *, int);
    void (*set_verify)(Context *, int, void *);
    SSL *(*new_connection)(Context *);
    void (*free_connection)(SSL *);
    long (*control)(SSL *, int, long, void *);
    int (*set_host)(SSL *, const char *);
    void *(*parameters)(SSL *);
    int (*set_address)(void *, const char *);
} library;

static HalcyonLibraryState state;

static bool load(void) {
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return false;
    }
    bool is_complete = true;
    // `dlsym` finds the functions of OpenSSL too, which the library is linked to.
#define LOAD(field, name) \
    library.field = (__typeof__(library.field))dlsym(handle, name); \
    is_complete = is_complete && library.field != NULL;
    LOAD(initiate, "redisInitiateSSL")
    LOAD(client_method, "TLS_client_method")
    LOAD(new_context, "SSL_CTX_new")
    LOAD(free_context, "SSL_CTX_free")
    LOAD(control_context, "SSL_CTX_ctrl")
    LOAD(default_authorities, "SSL_CTX_set_default_verify_paths")
    LOAD(load_authorities, "SSL_CTX_load_verify_locations")
    LOAD(use_certificate, "SSL_CTX_use_certificate_chain_file")
    LOAD(use_key, "SSL_CTX_use_PrivateKey_file")
    LOAD(set_verify, "SSL_CTX_set_verify")
    LOAD(new_connection, "SSL_new")
    LOAD(free_connection, "SSL_free")
    LOAD(control, "SSL_ctrl")
    LOAD(set_host, "SSL_set1_host")
    LOAD(parameters, "SSL_get0_param")
    LOAD(set_address, "X509_VERIFY_PARAM_set1_ip_asc")
    return is_complete;
}

const char *halcyon_hiredis_tls_problem(void) {
    return halcyon_load_library(&state, load) ? NULL : LIBRARY " is not installed";
}

// The name is compared by OpenSSL: hiredis alone would accept the certificate of any server.
static bool expect_host(SSL *connection, const char *host) {
    unsigned char address[16];
    if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1) {
        return library.set_address(library.parameters(connection), host) == 1;
    }
    return library.control(connection, CONTROL_HOST_NAME, NAME_TYPE_HOST, (void *)host) == 1
        && library.set_host(connection, host) == 1;
}

static const char *configure(Context *context, const HalcyonEngineTLS *options) {
    library.control_context(context, CONTROL_LEAST_VERSION, TLS_1_2, NULL);
    library.set_verify(context, VERIFY_PEER, NULL);
    if (options->authorities != NULL) {
        if (library.load_authorities(context, options->authorities, NULL) != 1) {
            return "the file of certificate authorities cannot be used";
        }
    } else if (library.default_authorities(context) != 1) {
        return "the system's certificate authorities cannot be used";
    }
    if (options->certificate != NULL && library.use_certificate(context, options->certificate) != 1) {
        return "the client's certificate cannot be used";
    }
    if (options->private_key != NULL && library.use_key(context, options->private_key, PEM) != 1) {
        return "the client's private key cannot be used";
    }
    return NULL;
}

bool halcyon_hiredis_start_tls(
    redisContext *context, const char *host, const HalcyonEngineTLS *options, char *reason, size_t reason_size) {
    const char *problem = halcyon_hiredis_tls_problem();
    Context *settings = problem == NULL ? library.new_context(library.client_method()) : NULL;
    if (problem == NULL && settings == NULL) {
        problem = "OpenSSL has no memory";
    }
    if (problem == NULL) {
        problem = configure(settings, options);
    }
    SSL *connection = problem == NULL ? library.new_connection(settings) : NULL;
    // A connection holds its settings.
    if (settings != NULL) {
        library.free_context(settings);
    }
    if (problem == NULL && connection == NULL) {
        problem = "OpenSSL has no memory";
    }
    if (problem == NULL && !expect_host(connection, host)) {
        problem = "the server's name cannot be verified";
    }
    if (problem == NULL && library.initiate(context, connection) != REDIS_OK) {
        problem = context->err != 0 ? context->errstr : "the handshake failed";
    } else if (problem == NULL) {
        // From here on it is the context's, which frees it.
        return true;
    }
    if (connection != NULL) {
        library.free_connection(connection);
    }
    snprintf(reason, reason_size, "%s", problem);
    return false;
}

#endif
