# nix run github:OWNER/obelus, or `nix profile install .` in a clone.
{
  description = "obelus: a terminal inspector for agent state and trajectories";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      manifest = builtins.fromTOML (builtins.readFile ./Cargo.toml);
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "obelus";
          version = manifest.workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The suite wants a terminal, shells and a writable home; it is run where the source is.
          doCheck = false;
          postInstall = ''
            $out/bin/obelus man --out man
            installManPage man/*.1
            for shell in bash zsh fish; do
              installShellCompletion --cmd obelus --$shell <($out/bin/obelus completions $shell)
            done
          '';
          meta = {
            inherit (manifest.package) description;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "obelus";
          };
        };
      });
    };
}
