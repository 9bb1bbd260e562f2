import type { Judge } from "../call.js";
import { worst } from "../combine.js";
import { absolute, isBelow } from "../paths.js";
import { isKnown } from "../field.js";
import { allow, ask, type Judgement } from "../verdict.js";

/** Compilers, test runners, linters, formatters, code generators: what a project is worked on with. */
export const BUILD_TOOLS: ReadonlySet<string> = new Set(
  (
    "tsc tsx ts-node vite vitest jest mocha ava tap c8 nyc eslint oxlint prettier biome rollup webpack webpack-cli esbuild swc parcel turbo nx lerna next nuxt astro remix svelte-kit svelte-check storybook playwright cypress karma " +
    "stylelint markdownlint markdownlint-cli2 commitlint lint-staged husky knip depcheck madge tsup unbuild rolldown tsdown babel gulp grunt ncc pkg typedoc jsdoc api-extractor publint attw size-limit bundlesize prisma drizzle-kit knex typeorm sequelize graphql-codegen openapi-generator openapi-typescript " +
    "tailwindcss postcss sass less lessc nodemon concurrently npm-run-all run-s run-p wait-on serve http-server live-server json-server start-server-and-test ng ionic expo react-scripts vue-cli-service vue-tsc quasar electron electron-builder changeset-status syncpack sort-package-json rimraf-none cspell textlint " +
    "pytest py.test tox nox mypy pyright pylint flake8 ruff black isort autopep8 bandit coverage pre-commit sphinx-build mkdocs alembic celery gunicorn uvicorn flask django-admin hypothesis jupyter nbconvert cython pyinstaller twine-check " +
    "gcc g++ cc c++ clang clang++ clang-format clang-tidy ld ar ranlib as cpp make-none cmake ctest ninja meson autoreconf autoconf automake configure bazel bazelisk buck buck2 scons xmake ccache cppcheck valgrind gdb lldb rustc rustfmt clippy-driver cargo-none gofmt goimports golangci-lint staticcheck gopls dlv protoc buf " +
    "javac java jar kotlinc ktlint scalac sbt gradle gradlew mvn mvnw ant mvnd detekt checkstyle spotless dotnet msbuild nuget csc fsc swiftc xcodebuild swiftlint swiftformat rspec rake rubocop rails bin/rails jekyll sorbet srb steep phpunit phpstan psalm pint php-cs-fixer phpcs artisan ghc cabal-none stack-none hlint ormolu ocamlfind dune elixirc mix-none credo dialyzer erlc rebar3 lein clj clojure zig nim crystal dart flutter " +
    "terraform-fmt tflint shellcheck shfmt hadolint yamllint ansible-lint actionlint vale mdl pandoc dot plantuml mmdc sqlfluff sqlc dbt air reflex watchexec entr act tsserver deno-none"
  ).split(" "),
);

const build: Judge = () => allow("build", "it builds, tests or checks the project");

const REMOTE_TARGET = /(?:^|[:/_.-])(?:deploy|publish|release|destroy|undeploy|promote)(?:$|[:/_.-])/i;

/** Judges a script or a target of the project by its name. */
export const projectTask = (name: string): Judgement =>
  REMOTE_TARGET.test(name)
    ? ask("remote.script", `by its name \`${name}\` changes something elsewhere`)
    : allow("script", "it runs a script of the project");

const make: Judge = (call) => {
  const targets: string[] = [];
  const judged: Judgement[] = [];
  for (let at = 0; at < call.args.length; at += 1) {
    const arg = call.args[at] as string;
    if (/^-(?:C|f|I|o|W)$|^--(?:directory|file|makefile|include-dir)$/.test(arg)) {
      const value = call.args[(at += 1)] ?? "";
      const path = absolute(value, call.scope.cwd);
      if (path !== undefined && isKnown(path) && !isBelow(path, call.places.workspace))
        judged.push(ask("foreign.script", "the makefile is outside the workspace"));
      if (path !== undefined && call.scope.written.has(path))
        judged.push(ask("foreign.written", "it runs what this same text has written"));
    } else if (!arg.startsWith("-") && !arg.includes("=")) targets.push(arg);
  }
  if (
    targets.some((target) => /^(?:install|uninstall)(?:-|$)/.test(target)) &&
    call.name !== "just" &&
    call.name !== "task"
  )
    judged.push(ask("install.machine", "it installs on the machine"));
  return worst(allow("build", "it builds the project"), ...targets.map(projectTask), ...judged);
};

const terraform: Judge = ({ args }) => {
  const action = args.find((arg) => !arg.startsWith("-")) ?? "";
  if (
    /^(?:fmt|validate|plan|init|show|output|providers|version|graph|console|get|workspace|state)$/.test(
      action,
    )
  ) {
    if (action === "state" && /^(?:rm|mv|push|replace-provider)$/.test(args[args.indexOf("state") + 1] ?? ""))
      return ask("remote.infrastructure", "it changes what is known of the infrastructure");
    return allow("build", "it checks or plans");
  }
  return ask("remote.infrastructure", "it changes infrastructure");
};

export const BUILDERS: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries([...BUILD_TOOLS].map((name) => [name, build])),
  make,
  gmake: make,
  just: make,
  task: make,
  mage: make,
  invoke: make,
  inv: make,
  fab: make,
  nmake: make,
  terraform,
  tofu: terraform,
};
