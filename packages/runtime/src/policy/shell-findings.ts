import type { SyntaxNode } from "unbash";
import type { ShellWord } from "./shell-word.ts";

/** A simple command, as it stands in a line. */
export interface SimpleCommand {
  /** Assignments before its name are among them. */
  readonly words: readonly ShellWord[];
  /** Does it stand in a loop, so that it may run again after what follows it there? */
  readonly repeats: boolean;
}

/** What a command line was found to hold. */
export interface ShellFindings {
  /** Every simple command of the line, with those inside substitutions and subshells. */
  readonly commands: SimpleCommand[];
  /** The files that are written by redirection. */
  readonly writes: ShellWord[];
  /** The files that are read by redirection. */
  readonly reads: ShellWord[];
  /** What could not be understood, in words. A line with any of it may do anything. */
  readonly opaque: string[];
}

/** A walk over a syntax tree, which adds what stands in it to `found`. */
export interface ShellWalk {
  readonly found: ShellFindings;
  /** What the positions of the tree point into. */
  readonly source: string;
  /** How many subshells, substitutions and texts stand around. */
  readonly depth: number;
  /** How many parts of the tree that are not understood stand around. */
  readonly unreadDepth: number;
  /** In a loop? */
  readonly repeats: boolean;
  /** Reads any part of the tree. */
  readonly readNode: (node: SyntaxNode, walk: ShellWalk) => void;
  /** Reads a text that another shell may take for commands: the commands count, and nothing else is known of it. */
  readonly readHidden: (text: string, walk: ShellWalk) => void;
  /** Notes that a part of the source is taken as it stands: nothing joins its lines. */
  readonly noteLiteral: (pos: number, end: number) => void;
}
