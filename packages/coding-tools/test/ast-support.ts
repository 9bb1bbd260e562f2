import { editSymbol, type EditedText, type SymbolEdit } from "../src/ast/edit-symbol.js";
import { withParser } from "../src/ast/grammars.js";
import type { AstLanguage } from "../src/ast/languages.js";
import { SYNTAX } from "../src/ast/syntax.js";

/** An edit of a text, without files. */
export const edited = (language: AstLanguage, text: string, edit: SymbolEdit): Promise<EditedText> =>
  withParser(language, {}, (parse) => editSymbol(text, SYNTAX[language], parse, edit));

/** The paths of all symbols of a text. */
export const symbolsOf = (language: AstLanguage, text: string): Promise<string[]> =>
  withParser(language, {}, (parse) =>
    [...SYNTAX[language].symbols(parse(text).rootNode)].map(({ path }) => path.join(".")),
  );

export const renamed = async (
  language: AstLanguage,
  text: string,
  symbol: string,
  from: string,
  to: string,
): Promise<string> => (await edited(language, text, { symbol, operation: "rename", from, to })).text;
