/** How a program names the files and directories it writes. */
export interface OutputForm {
  /** Options whose value is a written file: letters, and names without dashes. */
  readonly letters?: string;
  readonly names?: readonly string[];
  /** Letters of options with a value that is not written, so the value is not taken as an operand. */
  readonly valued?: string;
  /** Written operands: all from this index on, only this one, or the last of several. */
  readonly from?: number;
  readonly only?: number;
  readonly last?: true;
  /** Options with which no operand is written. */
  readonly spares?: RegExp;
  /** Options with which every operand is written. */
  readonly makesAll?: RegExp;
  /** Operands with this prefix are written: `of=`. */
  readonly keyed?: RegExp;
  /** `-ps` is one option rather than `-p -s`. */
  readonly unbundled?: boolean;
  /** With a directory as target, the file keeps the source's name. */
  readonly keepsNames?: true;
}

const compressor: OutputForm = {
  letters: "o",
  names: ["output-dir-flat"],
  from: 0,
  // These letters are followed by an option's value.
  spares: /^-[^FCSTMDbo-]*[ctl]|^--(stdout|test|list)/,
};
const copier: OutputForm = { letters: "t", names: ["target-directory"], valued: "Smog", last: true, keepsNames: true };
const downloader = [
  "output",
  "output-dir",
  "dump-header",
  "cookie-jar",
  "trace",
  "trace-ascii",
  "stderr",
  "etag-save",
  "hsts",
];
const awk: OutputForm = { letters: "odp", names: ["dump-variables", "pretty-print", "profile"], valued: "vF" };
const inPlace = (option: RegExp): OutputForm => ({ makesAll: option });

/**
 * Programs by what they write. Long names can be abbreviated, as in GNU programs. `commonOutput` covers unlisted ones: no list of programs
 * is complete.
 */
export const outputTable: Readonly<Record<string, OutputForm>> = {
  // Files and directories as such.
  mv: { ...copier, from: 0 },
  cp: copier,
  ln: copier,
  install: { ...copier, makesAll: /^(-[a-zA-Z]*d|--directory)$/ },
  tee: { from: 0 },
  sponge: { from: 0 },
  touch: { valued: "rdt", from: 0 },
  mkdir: { valued: "m", from: 0 },
  mkfifo: { valued: "m", from: 0 },
  mknod: { valued: "m", from: 0 },
  mktemp: { letters: "p", names: ["tmpdir"], from: 0 },
  truncate: { valued: "sr", from: 0 },
  rename: { valued: "e", from: 1 },
  dd: { keyed: /^of=/ },
  rsync: {
    letters: "T",
    names: ["temp-dir", "backup-dir", "partial-dir", "log-file", "write-batch", "only-write-batch"],
    valued: "ef",
    last: true,
  },
  scp: { valued: "cFiJloPS", last: true },
  // Texts.
  sort: { letters: "oT", names: ["output", "temporary-directory"] },
  shuf: { letters: "o", names: ["output"] },
  uniq: { valued: "fsw", from: 1 },
  split: { valued: "abClnt", from: 1 },
  csplit: { letters: "f", names: ["prefix"] },
  iconv: { letters: "o", names: ["output"] },
  tree: { letters: "o" },
  xxd: { valued: "clgso", from: 1, unbundled: true },
  less: { letters: "oO", names: ["log-file", "LOG-FILE"] },
  flock: { valued: "wE", only: 0 },
  dos2unix: { from: 0 },
  unix2dos: { from: 0 },
  patch: { letters: "odrB", names: ["output", "directory", "reject-file", "prefix"], valued: "pFDiYz", only: 0 },
  yq: inPlace(/^(-[a-zA-Z]*i|--in-?place)$/),
  gofmt: inPlace(/^-[a-z]*w$/),
  "clang-format": inPlace(/^-i$/),
  awk,
  gawk: awk,
  // Archives.
  unzip: { letters: "d" },
  zip: { letters: "bO", names: ["temp-path", "output-file"], only: 0 },
  unrar: { from: 2 },
  ar: { only: 1, spares: /^-?[ptx]/ },
  cpio: { letters: "DFO", names: ["directory", "file"] },
  gzip: compressor,
  gunzip: compressor,
  bzip2: compressor,
  bunzip2: compressor,
  xz: compressor,
  unxz: compressor,
  lz4: { from: 1 },
  zstd: compressor,
  unzstd: compressor,
  // Other machines.
  curl: { letters: "oDc", names: downloader },
  wget: {
    letters: "OPoa",
    names: ["output-document", "directory-prefix", "output-file", "append-output", "save-cookies", "warc-file"],
  },
  // Modules of Python.
  venv: { from: 0 },
  zipfile: { from: 0 },
  tarfile: { from: 0 },
  compileall: { from: 0 },
  // Databases and keys.
  sqlite3: { only: 0 },
  pg_dump: { letters: "f", names: ["file"] },
  mysqldump: { letters: "rT", names: ["result-file", "tab"] },
  "ssh-keygen": { letters: "f" },
  // Builds: another directory is written as well as read.
  make: { letters: "C", names: ["directory"] },
  gmake: { letters: "C", names: ["directory"] },
  ninja: { letters: "C" },
  cmake: { letters: "B", names: ["build", "install", "prefix"] },
  javac: { letters: "dhs" },
  pip: { letters: "td", names: ["target", "prefix", "root", "dest", "report", "log", "src", "cache-dir"] },
  pip3: { letters: "td", names: ["target", "prefix", "root", "dest", "report", "log", "src", "cache-dir"] },
};

/** Option names with the same meaning in most programs: `output`, `out-dir`, `outFile`, `js_out`, `prefix`, `cwd`. */
const COMMON =
  /^((.*[-_])?(out|out(put)?[-_]?(file|dir|directory|path|folder)|output|dest(ination)?)|.*profile|target[-_]?dir(ectory)?|prefix|directory|dir|cwd|chdir|log[-_]?file)$/i;

/** For programs not in the table. Their values are judged only if they lead out of the workspace. */
export const commonOutput: OutputForm = { letters: "oC" };

export function isCommonOutputName(name: string): boolean {
  return COMMON.test(name);
}

/** Options whose value is not a file and can be in the next word. */
export const VALUED_NAMES =
  /^(depth|branch|origin|jobs|filter|config|reference|mode|size|date|lines|bytes|suffix|owner|group|exclude|include|level|shallow-(since|exclude))$/;

/** Programs that write no file through an option, and use the letters above for something else. */
export const readsOnly: ReadonlySet<string> = new Set([
  ...["echo", "printf", "true", "false", ":", "test", "[", "pwd", "cd", "pushd", "popd", "dirs", "exit", "return"],
  ...["ls", "dir", "cat", "tac", "head", "tail", "wc", "nl", "cut", "tr", "paste", "join", "comm", "diff", "cmp"],
  ...["grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "fd", "fdfind", "file", "stat", "du", "df", "ps", "ss"],
  ...["lsof", "netstat", "date", "sleep", "seq", "which", "type", "wait", "umask", "ulimit", "id", "uname", "jq"],
  ...["set", "mount", "od", "hexdump", "strings", "basename", "dirname", "realpath", "readlink", "expr", "column"],
]);
