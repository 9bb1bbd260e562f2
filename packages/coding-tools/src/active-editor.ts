import type { EditorPort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { positionText, rangeText } from "./language-text.js";
import { mayRead, toVirtualPath } from "./workspace-paths.js";

const MAX_SELECTED_BYTES = 20_000;

/** The tool that says what the person has open. */
export const createActiveEditorTool = (editor: EditorPort): StructuredTool =>
  defineTool({
    name: "get_active_editor",
    description:
      'Says which file the user has open in the editor, where the cursor is, and what is selected. Use it when they say "this ' +
      'file", "here" or "the selection". It shows the selected text only: read the file for the rest. "unsaved" means that ' +
      "the editor holds changes which the file on disk does not have.",
    schema: z.object({}),
    effects: ["fs.read"],
    idempotent: true,
    async run(_args, { signal }) {
      const [active, all] = await Promise.all([
        editor.active({ signal, maxSelectedBytes: MAX_SELECTED_BYTES }),
        editor.open({ signal }),
      ]);
      const others = all
        .filter((each) => !each.active && mayRead(toVirtualPath(each.path)))
        .map((each) => `open too: ${toVirtualPath(each.path)}${each.dirty ? " (unsaved)" : ""}`);
      if (!active || !mayRead(toVirtualPath(active.path)))
        return ["No file is active.", ...others].join("\n");
      const { selection, visible, selectedText } = active;
      const selected =
        selectedText === ""
          ? [`cursor at ${positionText(selection.start)}`]
          : [
              `selected ${rangeText(selection)}:`,
              selectedText,
              ...(active.truncated ? ["[the selection was cut]"] : []),
            ];
      const content = [
        `${toVirtualPath(active.path)} (${active.language}${active.dirty ? ", unsaved" : ""})`,
        `visible: lines ${visible.start.line} to ${visible.end.line}`,
        ...selected,
        ...others,
      ];
      return { content: content.join("\n"), artifact: active };
    },
  });
