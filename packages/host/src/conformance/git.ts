import type { GitPort } from "../git-port.js";
import { caseOf, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";
import type { GitTest } from "./git-cases.js";
import { gitReadCases } from "./git-read-cases.js";
import { gitWriteCases } from "./git-write-cases.js";
import { createTestRepository, type TestRepository } from "./git-repository.js";

type Create = (root: string) => Promise<Subject<GitPort>> | Subject<GitPort>;
type Scene = Subject<GitPort> & { readonly repository: TestRepository };

const sceneOf =
  (create: Create, options: { init?: boolean } = {}) =>
  async (): Promise<Scene> => {
    const repository = createTestRepository(options);
    try {
      const subject = await create(repository.root);
      return {
        port: subject.port,
        repository,
        async close() {
          await subject.close?.();
          repository.remove();
        },
      };
    } catch (error) {
      repository.remove();
      throw error;
    }
  };

/**
 * The promises of `GitPort`. `create` gives a port for a directory in which the suite makes real repositories, so the
 * git program has to be there. The cases about writing are left out with `write: false`.
 */
export const gitConformance = ({
  create,
  write = true,
}: {
  create: Create;
  write?: boolean;
}): ConformanceCase[] => {
  const test: GitTest = (name, run) =>
    caseOf(`git: ${name}`, sceneOf(create), ({ port, repository }) => run(port, repository));
  return [
    caseOf("git: no repository is refused", sceneOf(create, { init: false }), async ({ port: { read } }) => {
      await refuses(read.status(), "not_found");
      await refuses(read.log(), "not_found");
      await refuses(read.diff(), "not_found");
      await refuses(read.show("HEAD"), "not_found");
      await refuses(read.head(), "not_found");
    }),
    ...gitReadCases(test),
    ...(write ? gitWriteCases(test) : []),
  ];
};
