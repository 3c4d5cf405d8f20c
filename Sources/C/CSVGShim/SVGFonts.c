#include "CSVGShim.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// What is used of fontconfig's binary interface (libfontconfig.so.1).
typedef struct FcConfig FcConfig;
typedef struct FcPattern FcPattern;
typedef struct FcStrList FcStrList;
typedef struct {
    int count;
    int capacity;
    FcPattern **fonts;
} FcFontSet;

enum { SYSTEM_FONTS = 0, FONT_FOUND = 0 };

typedef struct {
    int (*FcInit)(void);
    FcStrList *(*FcConfigGetFontDirs)(FcConfig *);
    FcStrList *(*FcConfigGetCacheDirs)(FcConfig *);
    FcStrList *(*FcConfigGetConfigFiles)(FcConfig *);
    unsigned char *(*FcStrListNext)(FcStrList *);
    void (*FcStrListDone)(FcStrList *);
    FcFontSet *(*FcConfigGetFonts)(FcConfig *, int);
    int (*FcPatternGetString)(const FcPattern *, const char *, int, unsigned char **);
} Fontconfig;

typedef struct {
    void (*function)(const char *, void *);
    void *context;
} Report;

static bool load(Fontconfig *library) {
    void *handle = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return false;
    bool is_complete = true;
#define LOAD(name) \
    library->name = (__typeof__(library->name))dlsym(handle, #name); \
    is_complete = is_complete && library->name != NULL;
    LOAD(FcInit)
    LOAD(FcConfigGetFontDirs)
    LOAD(FcConfigGetCacheDirs)
    LOAD(FcConfigGetConfigFiles)
    LOAD(FcStrListNext)
    LOAD(FcStrListDone)
    LOAD(FcConfigGetFonts)
    LOAD(FcPatternGetString)
#undef LOAD
    return is_complete;
}

/// Reports the file or folder that a path leads to.
static void report_path(const char *path, Report report) {
    char *target = realpath(path, NULL);
    if (target == NULL) return;
    report.function(target, report.context);
    free(target);
}

static void report_list(const Fontconfig *library, FcStrList *list, Report report) {
    if (list == NULL) return;
    const unsigned char *path;
    while ((path = library->FcStrListNext(list)) != NULL) report_path((const char *)path, report);
    library->FcStrListDone(list);
}

/// Reports the fonts that lie elsewhere than their folder says: those behind links.
static void report_linked_fonts(const Fontconfig *library, Report report) {
    const FcFontSet *fonts = library->FcConfigGetFonts(NULL, SYSTEM_FONTS);
    for (int i = 0; fonts != NULL && i < fonts->count; i++) {
        unsigned char *file = NULL;
        if (library->FcPatternGetString(fonts->fonts[i], "file", 0, &file) != FONT_FOUND || file == NULL) continue;
        char *target = realpath((const char *)file, NULL);
        if (target == NULL) continue;
        if (strcmp(target, (const char *)file) != 0) report.function(target, report.context);
        free(target);
    }
}

void halcyon_svg_load_fonts(void (*function)(const char *, void *), void *context) {
    Fontconfig library;
    if (!load(&library) || !library.FcInit()) return;
    Report report = { function, context };
    report_list(&library, library.FcConfigGetFontDirs(NULL), report);
    report_list(&library, library.FcConfigGetCacheDirs(NULL), report);
    report_list(&library, library.FcConfigGetConfigFiles(NULL), report);
    report_linked_fonts(&library, report);
}
