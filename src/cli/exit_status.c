#include "exit_status.h"

enum exit_status exit_status_of(enum tfprof_status status)
{
	switch (status) {
	case TFPROF_OK: return EXIT_OK;
	case TFPROF_ARGUMENT:
	case TFPROF_REGEX:
	case TFPROF_STEP: return EXIT_USAGE;
	case TFPROF_CANCELLED: return EXIT_INTERRUPTED;
	default: return EXIT_INPUT;
	}
}
