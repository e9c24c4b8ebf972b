import type { ValueType } from '../config/value-types.ts';
import type { CliWorld } from './cli-world.ts';

/** An option that takes a value. */
export interface ValueOption<Value> {
  /** The rules are those of settings. */
  readonly type: ValueType<Value>;
  /** What stands for the value in the help. */
  readonly shown: string;
  readonly about: string;
}

/** An option without a value. */
export interface Flag {
  readonly about: string;
}

/** By name, without hyphens in front. */
export type CommandOptions = Readonly<Record<string, ValueOption<unknown> | Flag>>;

/** The options of a command as given; `null` or `false`: not given. */
export type GivenOptions<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends ValueOption<infer Value> ? Value | null : boolean;
};

/** A command with everything that the arguments, the help and the program know about it. */
export interface Command<Options extends CommandOptions = CommandOptions> {
  /** One or two words. */
  readonly name: string;
  /** The arguments and what they do, as the help shows them. None: the command is not for users. */
  readonly usage: readonly (readonly [args: string, about: string])[];
  readonly options: Options;
  /** Left out: none. */
  readonly maxFiles?: number;
  /** Paragraphs of the help. */
  readonly notes?: string;
  /** Lines for a shell. */
  readonly examples?: readonly string[];
  /** @returns what is wrong with options and files that are valid one by one; `null` = nothing */
  check?(given: GivenOptions<Options>, files: readonly string[]): string | null;
  /** Resolves with the exit code; 2 means that the user must correct something. */
  run(given: GivenOptions<Options>, world: CliWorld, files: readonly string[]): Promise<number> | number;
}

/** Infers the types of a command's options. */
export const defineCommand = <Options extends CommandOptions>(command: Command<Options>): Command => command;
