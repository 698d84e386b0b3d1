class Secchi < Formula
  desc "Measure storage, find its bottleneck and judge it against needs"
  homepage "@repository@"
  version "@version@"
  license "Apache-2.0"

  on_macos do
    url "@url:source@"
    sha256 "@sha256:source@"
    depends_on "rust" => :build
  end

  on_linux do
    on_intel do
      url "@url:x86_64-linux@"
      sha256 "@sha256:x86_64-linux@"
    end
    on_arm do
      url "@url:aarch64-linux@"
      sha256 "@sha256:aarch64-linux@"
    end
  end

  def install
    if OS.mac?
      system "cargo", "install", *std_cargo_args
      man1.mkpath
      system bin/"secchi", "manual", "--dir", man1
      generate_completions_from_executable(bin/"secchi", "completions")
    else
      bin.install "secchi"
      man1.install Dir["man/*.1"]
      bash_completion.install "completions/secchi.bash" => "secchi"
      zsh_completion.install "completions/_secchi"
      fish_completion.install "completions/secchi.fish"
    end
  end

  def caveats
    "On macOS, secchi judges and compares results, and checks plans. It does not measure." if OS.mac?
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/secchi --version")
    (testpath/"fio.txt").write "nothing that any tool printed\n"
    assert_match "secchi", shell_output("#{bin}/secchi judge fio.txt 2>&1", 64)
  end
end
