import { HARNESS_ROUTES, withRights } from "@fiveseam/backends";
import { ALL_RIGHTS, covers, currentCall } from "@fiveseam/tool-pipeline";
import {
  adaptBackendProtocol,
  isSandboxBackend,
  type BackendProtocolV2,
  type ExecuteResponse,
} from "deepagents";

const NO_EXECUTION: ExecuteResponse = {
  output: "The command was not run: you may not run commands here. Say in your answer what is to be run.",
  exitCode: 1,
  truncated: false,
};

const mayExecute = (): boolean => {
  const call = currentCall();
  return call === undefined || covers(call.rights, "exec");
};

/**
 * A backend that does for each call no more than the caller may: whatever tool a call goes through, and whether it declared
 * its effects rightly, files are held to the rights of the agent, its role and the run's mode. Outside any call nothing is
 * refused.
 *
 * @example
 * ```ts
 * import { createCodingBackend } from "@fiveseam/backends";
 * import { withCallRights } from "@fiveseam/subagents";
 *
 * const backend = withCallRights(createCodingBackend({ workspace: process.cwd() }));
 * ```
 */
export const withCallRights = (given: BackendProtocolV2): BackendProtocolV2 => {
  // A backend of deepagents' first protocol has other names for its methods.
  const backend = typeof given.ls === "function" ? given : adaptBackendProtocol(given);
  const files = withRights(backend, {
    covers: (access) => {
      const rights = currentCall()?.rights ?? ALL_RIGHTS;
      return rights === ALL_RIGHTS || covers(rights, access);
    },
    who: "this agent, in this run,",
    except: HARNESS_ROUTES,
  });
  if (!isSandboxBackend(backend)) return files;
  return Object.assign(files, {
    id: backend.id,
    execute: (command: string) => (mayExecute() ? backend.execute(command) : NO_EXECUTION),
  });
};
