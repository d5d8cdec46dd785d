/* Looking up the entries that only say NOT_SUPPORTED. */
#ifndef EMU_UNSUPPORTED_H
#define EMU_UNSUPPORTED_H

typedef void (*EmuAnyFunction)(void);

/* NULL when there is no such entry. */
EmuAnyFunction emu_unsupported_find(const char *name);

#endif
