#ifndef CGTK_SHIM_H
#define CGTK_SHIM_H

/* Declared deprecated is only what was in the oldest GTK that this package builds with; later ones have it still. */
#define GDK_VERSION_MIN_REQUIRED GDK_VERSION_4_8

#include <gtk/gtk.h>
#include <gdk/gdk.h>
#include <glib-unix.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where libdispatch lets another event loop serve its main queue: exported by libdispatch.so on Linux, as CFRunLoop uses
   both, but declared in no public header. */
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Null_unspecified message);

static inline int cgtk_thread_id(void) { return (int)syscall(SYS_gettid); }

/* Macros and functions with variable arguments, which Swift does not import. */

static inline gboolean cgtk_is_a(gconstpointer instance, GType type) {
    return instance != NULL && g_type_check_instance_is_a((GTypeInstance *)instance, type);
}

static inline GType cgtk_object_type(void) { return G_TYPE_OBJECT; }

static inline GType cgtk_type_of(gconstpointer instance) { return G_TYPE_FROM_INSTANCE(instance); }

/* The chain up to GObject's own finalize. */
static inline void cgtk_finalize_object(GObject *object) {
    GObjectClass *parent = (GObjectClass *)g_type_class_peek(G_TYPE_OBJECT);
    parent->finalize(object);
}

static inline gboolean cgtk_boolean_property(gpointer object, const char *name) {
    gboolean value = FALSE;
    g_object_get(object, name, &value, NULL);
    return value;
}

/* Whether a property can be written and takes paintables of any type. */
static inline gboolean cgtk_takes_paintable(gpointer object, const char *name) {
    GParamSpec *property = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
    return property != NULL && (property->flags & G_PARAM_WRITABLE) != 0 &&
           g_type_is_a(GDK_TYPE_PAINTABLE, property->value_type);
}

static inline void cgtk_set_object_property(gpointer object, const char *name, gpointer value) {
    g_object_set(object, name, value, NULL);
}

static inline void cgtk_warn(const char *message) { g_log("Halcyon", G_LOG_LEVEL_WARNING, "%s", message); }

static inline void cgtk_set_accessible_label(gpointer widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static inline void cgtk_set_accessible_description(gpointer widget, const char *description) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

static inline void cgtk_set_accessible_busy(gpointer widget, gboolean is_busy) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, is_busy, -1);
}

#endif
