{
  description = "@description@";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      # Static programs, because NixOS has no C library at the usual path.
      archives = {
        x86_64-linux = {
          url = "@url:x86_64-linux-static@";
          hash = "@sri:x86_64-linux-static@";
        };
        aarch64-linux = {
          url = "@url:aarch64-linux-static@";
          hash = "@sri:aarch64-linux-static@";
        };
      };
      build =
        system: archive:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        {
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "secchi";
            version = "@version@";
            src = pkgs.fetchurl archive;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            dontStrip = true;
            installPhase = ''
              runHook preInstall
              install -Dm755 secchi -t $out/bin
              installManPage man/*.1
              installShellCompletion completions/secchi.bash completions/secchi.fish completions/_secchi
              runHook postInstall
            '';
            meta = {
              description = "@description@";
              homepage = "@repository@";
              license = pkgs.lib.licenses.asl20;
              mainProgram = "secchi";
              platforms = [ system ];
              sourceProvenance = [ pkgs.lib.sourceTypes.binaryNativeCode ];
            };
          };
        };
    in
    {
      packages = builtins.mapAttrs build archives;
    };
}
