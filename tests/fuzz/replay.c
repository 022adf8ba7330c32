/* Runs a fuzz target once on every file of a directory: so that what fuzzing
 * found stays fixed, with any compiler. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	size_t size, got;

	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		return -1;
	}
	size = (size_t)ftell(file);
	rewind(file);
	data = malloc(size ? size : 1); /* no more than it needs: sanitizers watch its end */
	got = data ? fread(data, 1, size, file) : 0;
	fclose(file);
	if (got == size)
		LLVMFuzzerTestOneInput(data, size);
	free(data);
	return got == size ? 0 : -1;
}

int main(int argc, char **argv)
{
	DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	char path[4096];
	int n = 0;

	if (!directory) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		if (replay(path) != 0)
			return 1;
		n++;
	}
	closedir(directory);
	printf("%d files\n", n);
	return n ? 0 : 1;
}
