export function newestProgram(bundle: URL, source: URL, directories: readonly URL[]): URL;
