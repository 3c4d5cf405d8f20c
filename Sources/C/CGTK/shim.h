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

/* Whether a property can be written at any time, and takes every object of a type. */
static inline gboolean cgtk_property_takes(gpointer object, const char *name, GType type) {
    GParamSpec *property = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
    return property != NULL && (property->flags & G_PARAM_WRITABLE) != 0 &&
           (property->flags & G_PARAM_CONSTRUCT_ONLY) == 0 && g_type_is_a(type, property->value_type);
}

/* The object that a property holds, for comparisons; no reference is returned. `otherwise` if it cannot be read. */
static inline gpointer cgtk_object_property(gpointer object, const char *name, gpointer otherwise) {
    GParamSpec *property = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
    if (property == NULL || (property->flags & G_PARAM_READABLE) == 0) return otherwise;
    gpointer value = NULL;
    g_object_get(object, name, &value, NULL);
    if (value != NULL) g_object_unref(value);
    return value;
}

static inline void cgtk_set_object_property(gpointer object, const char *name, gpointer value) {
    g_object_set(object, name, value, NULL);
}

static inline void cgtk_set_string_property(gpointer object, const char *name, const char *value) {
    g_object_set(object, name, value, NULL);
}

static inline void cgtk_set_boolean_property(gpointer object, const char *name, gboolean value) {
    g_object_set(object, name, value, NULL);
}

static inline gboolean cgtk_has_property(gpointer object, const char *name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name) != NULL;
}

/* Whether the user lets things move: not where animations are switched off or reduced, if there is a property that says
   so. */
static inline gboolean cgtk_allows_motion(GtkSettings *settings, const char *reduced_motion) {
    gboolean animates = TRUE;
    gint reduced = 0;
    g_object_get(settings, "gtk-enable-animations", &animates, NULL);
    if (cgtk_has_property(settings, reduced_motion)) g_object_get(settings, reduced_motion, &reduced, NULL);
    return animates && reduced == 0;
}

/* The surface of the window that a widget is in; NULL if it is in none, or that has no surface. */
static inline gpointer _Nullable cgtk_toplevel(gpointer widget) {
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(widget));
    GdkSurface *surface = root != NULL ? gtk_native_get_surface(GTK_NATIVE(root)) : NULL;
    return surface != NULL && GDK_IS_TOPLEVEL(surface) ? surface : NULL;
}

/* The colour of a widget's text. */
static inline GdkRGBA cgtk_text_color(gpointer widget) {
    GdkRGBA color;
#if GTK_CHECK_VERSION(4, 10, 0)
    gtk_widget_get_color(GTK_WIDGET(widget), &color);
#else
    gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(widget)), &color);
#endif
    return color;
}

static inline void cgtk_warn(const char *message) { g_log("Halcyon", G_LOG_LEVEL_WARNING, "%s", message); }

static inline void cgtk_set_accessible_label(gpointer widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

/* The name of a row of a list, which from GTK 4.12 takes the focus in place of its child. */
static inline void cgtk_set_row_label(gpointer item, const char *label) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_list_item_set_accessible_label(GTK_LIST_ITEM(item), label);
#else
    (void)item;
    (void)label;
#endif
}

/* Scrolls to an item of a grid. From GTK 4.12 the item has the focus as well, which the view does not give by itself to
   what takes the place of an item that was removed. */
static inline void cgtk_reveal_in_grid(gpointer grid, guint position) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_grid_view_scroll_to(GTK_GRID_VIEW(grid), position, GTK_LIST_SCROLL_FOCUS, NULL);
#else
    gtk_widget_activate_action(GTK_WIDGET(grid), "list.scroll-to-item", "u", position);
#endif
}

static inline void cgtk_set_accessible_description(gpointer widget, const char *description) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

static inline void cgtk_set_accessible_busy(gpointer widget, gboolean is_busy) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, is_busy, -1);
}

static inline void cgtk_set_accessible_hidden(gpointer widget, gboolean is_hidden) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, is_hidden, -1);
}

/* Of effect before the widget is shown. */
static inline void cgtk_set_accessible_role(gpointer widget, GtkAccessibleRole role) {
    g_object_set(widget, "accessible-role", role, NULL);
}

/* What assistive technologies are told, for tests. */

static inline gboolean cgtk_has_accessible_label(gpointer widget, const char *label) {
    char *other = gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label);
    gboolean is_equal = other == NULL;
    g_free(other);
    return is_equal;
}

static inline gboolean cgtk_is_accessible_busy(gpointer widget) {
    char *other = gtk_test_accessible_check_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, TRUE);
    gboolean is_busy = other == NULL;
    g_free(other);
    return is_busy;
}

static inline gboolean cgtk_is_accessible_hidden(gpointer widget) {
    char *other = gtk_test_accessible_check_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE);
    gboolean is_hidden = other == NULL;
    g_free(other);
    return is_hidden;
}

#endif
