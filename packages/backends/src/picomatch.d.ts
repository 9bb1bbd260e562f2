// picomatch ships no types; this is the part that globs.ts uses.
declare module "picomatch" {
  interface Options {
    dot?: boolean;
    nonegate?: boolean;
    noextglob?: boolean;
  }
  const picomatch: (glob: string, options?: Options) => (path: string) => boolean;
  // eslint-disable-next-line import/no-default-export
  export default picomatch;
}
