import type { SyntaxNode } from "unbash";
import type { ShellWord } from "./shell-word.ts";

/** A simple command of a line. */
export interface SimpleCommand {
  /** Includes assignments before its name. */
  readonly words: readonly ShellWord[];
  /** Whether it is in a loop, so it may run again after the commands that follow it there. */
  readonly repeats: boolean;
}

/** The contents of a command line. */
export interface ShellFindings {
  /** Every simple command, including those inside substitutions and subshells. */
  readonly commands: SimpleCommand[];
  /** Files written by redirection. */
  readonly writes: ShellWord[];
  /** Files read by redirection. */
  readonly reads: ShellWord[];
  /** What could not be understood, in words. If not empty, the line may do anything. */
  readonly opaque: string[];
}

/** Context of a walk over a syntax tree that adds to `found`. */
export interface ShellWalk {
  readonly found: ShellFindings;
  /** The text that the tree's positions refer to. */
  readonly source: string;
  /** Nesting depth of subshells, substitutions and texts. */
  readonly depth: number;
  /** Nesting depth of parts that are not understood. */
  readonly unreadDepth: number;
  /** Whether inside a loop. */
  readonly repeats: boolean;
  /** Reads any part of the tree. */
  readonly readNode: (node: SyntaxNode, walk: ShellWalk) => void;
  /** Reads a text another shell may interpret as commands: only the commands count. */
  readonly readHidden: (text: string, walk: ShellWalk) => void;
  /** Marks part of the source as literal: its line continuations are not joined. */
  readonly noteLiteral: (pos: number, end: number) => void;
}
