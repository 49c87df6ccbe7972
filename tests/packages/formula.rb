# SPDX-License-Identifier: MIT
# Runs the formula of packaging/homebrew as Homebrew would, as far as that can be done without it: its functions are these.
#
#     ruby tests/packages/formula.rb ARCHIVE WORK_FOLDER     what it installs is in WORK_FOLDER/prefix

require "fileutils"
require "pathname"

ARCHIVE = File.realpath(ARGV.fetch(0))
WORK = Pathname.new(ARGV.fetch(1)).expand_path

module OS
  def self.mac?
    RUBY_PLATFORM.include?("darwin")
  end
end

def ENV.cxx
  "c++"
end

class Formula
  class << self
    attr_reader :test_block

    def desc(*) = nil
    def license(*) = nil
    def depends_on(*) = nil
    def url(address = nil) = address ? @url = address : @url
    def test(&block) = @test_block = block
  end

  def prefix = WORK/"prefix"
  def include = prefix/"include"
  def lib = prefix/"lib"
  def testpath = WORK/"test"

  def std_cmake_args
    ["-DCMAKE_INSTALL_PREFIX=#{prefix}", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-Wno-dev"]
  end

  def system(*command)
    Kernel.system(*command.map(&:to_s)) || abort("failed: #{command.join(" ")}")
  end
end

require_relative "../../packaging/homebrew/futon"

abort "the formula wants #{File.basename(Futon.url)}" if File.basename(Futon.url) != File.basename(ARCHIVE)
formula = Futon.new
FileUtils.mkdir_p([WORK/"source", formula.testpath])
formula.system("tar", "-xzf", ARCHIVE, "-C", WORK/"source", "--strip-components=1")
Dir.chdir(WORK/"source") { formula.install }
ENV["LD_LIBRARY_PATH"] = formula.lib.to_s # Homebrew's linker finds what is in its own prefix
Dir.chdir(formula.testpath) { formula.instance_eval(&Futon.test_block) }
