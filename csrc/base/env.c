/* The environment: the only getenv of the library.
 *
 * Values are read at each call, so a test may set a variable after import; hot paths keep a copy.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name, *fallback, *meaning;
} EnvRow;

static const EnvRow rows[GNP_ENV_COUNT] = {
#define ENV(id, name, default_value, meaning) {name, default_value, meaning},
#include "tables/env.def"
};

const char *
gnp_env(GnpEnv which)
{
    const char *value = getenv(rows[which].name);
    return value != NULL && *value != '\0' ? value : rows[which].fallback;
}

int64_t
gnp_env_int(GnpEnv which)
{
    const char *texts[2] = {gnp_env(which), rows[which].fallback};
    for (int i = 0; i < 2; i++) {
        char *end = NULL;
        long long value = strtoll(texts[i], &end, 10);
        if (end != texts[i] && *end == '\0') {
            return value;
        }
    }
    return 0;
}

const char *
gnp_env_name(GnpEnv which)
{
    return rows[which].name;
}

const char *
gnp_env_default(GnpEnv which)
{
    return rows[which].fallback;
}

const char *
gnp_env_meaning(GnpEnv which)
{
    return rows[which].meaning;
}

const char *
gnp_env_foreign(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

void
gnp_env_set_foreign(const char *name, const char *value)
{
    (void)setenv(name, value, 1);
}
