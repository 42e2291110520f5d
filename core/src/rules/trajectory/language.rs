//! D9: the languages that a code action may name.

/// D9: whether `name` is a language of the format; case counts.
#[must_use]
pub(crate) fn is_language(name: &str) -> bool {
    LANGUAGES.binary_search(&name).is_ok()
}

/// The list of D9, sorted; misspelt entries are the format's own.
#[rustfmt::skip]
const LANGUAGES: &[&str] = &[
    "actionscript", "ada", "afl", "agda", "angular", "apache", "applescript", "aql", "arduino", "arm", "array", "as3",
    "asciidoc", "asm", "asp", "aspx", "assembly", "autohotkey", "awk", "bash", "basic", "bat", "batch", "batchfile",
    "bibtex", "bison", "blade", "brainfuck", "breadcrumbs", "buildx", "c", "cabal", "cad", "cafeobj", "ceylon", "cfg",
    "cfml", "chapel", "cil", "cisco", "clojure", "cmake", "cmd", "cobol", "code", "coffeescript", "coldfusion",
    "commandline", "conf", "console", "coq", "cpp", "cql", "cs", "csharp", "css", "csv", "cuda", "cypher", "cython",
    "d", "dart", "dax", "delphi", "diff", "django", "dockefile", "docker", "dockerfile", "dotenv", "doxygen", "dsl",
    "dtd", "dts", "eigenmath", "ejs", "elisp", "elixir", "env", "erb", "erlang", "euler", "excel", "flatbuffers",
    "flux", "forth", "fortran", "freemarker", "fsharp", "futura", "gamescript", "gap", "genetic", "gherkin", "git",
    "glsl", "gml", "gnuplot", "go", "golang", "gp", "gradle", "graphql", "groff", "groovy", "handlebars", "haskell",
    "hcl", "hlsl", "hocon", "hol", "hscript", "html", "http", "husk", "hypothetical", "ics", "idl", "idris", "ini",
    "isabelle", "jags", "java", "javascipt", "javascript", "javasript", "jenkins", "jinja", "jl", "jldoctest",
    "jquery", "js", "json", "jsp", "jsx", "julia", "kconfig", "kotlin", "language", "latex", "ld", "lean", "less",
    "liquid", "lisp", "llvm", "lua", "m4", "make", "makefile", "maple", "markdown", "math", "mathematica", "matlab",
    "maxmsp", "mdx", "mermaid", "meson", "ml", "mongo", "mongodb", "moonscript", "mumps", "mysql", "nasm", "netlogo",
    "nginx", "nit", "nix", "node", "npm", "nsis", "objc", "objectscript", "obscuria", "ocaml", "octave", "openqasm",
    "ourcodelang", "output", "p4", "pari", "pascal", "pddl", "perl", "pgsql", "php", "phpt", "pinescript",
    "plaintext", "plantuml", "plpgsql", "plsql", "postgres", "postgresql", "powerapps", "powershell", "pro", "prolog",
    "properties", "proto", "protobuf", "ps", "pseudo", "pseudo_code", "pseudo_rust", "pseudocode", "puppet", "py",
    "python", "python3", "python4", "qlik", "qmake", "qml", "qsharp", "quantum", "r", "racket", "rdf", "react",
    "redis", "regex", "rest", "restructuredtext", "rst", "ruby", "rust", "s", "sage", "sagemath", "sas", "sass",
    "scad", "scala", "scheme", "scificode", "scilab", "scss", "sh", "shakespeare", "shell", "simpli", "sm",
    "smalltalk", "smarty", "smile", "sml", "solidity", "sonnet", "sparql", "sql", "sqlite", "stan", "stata", "svelte",
    "svg", "swift", "swig", "systemverilog", "targetlang", "targetql", "terraform", "tex", "text", "thrift",
    "tlbuild", "tomail", "toml", "troff", "ts", "tsx", "turtle", "twig", "txt", "typescript", "usql", "vb", "vba",
    "vbnet", "vbs", "vbscript", "vcard", "velocity", "verilog", "vhdl", "vim", "voxelscript", "vtl", "vue", "wasm",
    "wolfram", "xaml", "xbasic", "xhtml", "xml", "xpath", "xpp", "xslt", "xyz", "yaml", "yang", "yml",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_complete() {
        assert_eq!(LANGUAGES.len(), 304);
        assert!(LANGUAGES.is_sorted());
        assert!(is_language("python") && is_language("javascipt") && !is_language("Python") && !is_language(""));
    }
}
