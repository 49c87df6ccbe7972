# SPDX-License-Identifier: MIT
# A formula for a tap of your own: put it and the archive that `./dev package` makes into the tap's folder Formula, and write
# the archive's SHA-256, which stands in its .sha256, here.
#
# Not seen: Homebrew itself, on macOS or Linux. Ruby parses the formula, and tests/packages/formula.rb runs its steps with a
# stand-in for Homebrew's functions. On macOS the library stands on the standard library alone, which has not been compiled there.
class Futon < Formula
  desc "Wait on a word of memory, blocking or not, in one wait queue"
  url "file://#{__dir__}/futon-0.1.0.tar.gz"
  license "MIT"

  depends_on "cmake" => :build

  def install
    options = ["-DBUILD_SHARED_LIBS=ON"]
    options << "-DFUTON_PLATFORM=generic" if OS.mac?
    system "cmake", "-S", ".", "-B", "build", *options, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"main.cpp").write <<~CPP
      #include <futon/futon.hpp>
      int main() {
        futon::AsyncLock lock;
        return lock.try_lock() ? 0 : 1;
      }
    CPP
    system ENV.cxx, "-std=c++20", "main.cpp", "-I#{include}", "-L#{lib}", "-lfuton", "-pthread", "-o", "main"
    system "./main"
  end
end
