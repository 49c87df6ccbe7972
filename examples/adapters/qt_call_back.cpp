// SPDX-License-Identifier: MIT
//
// Callbacks in a Qt program, without coroutines: each belongs to a QObject. An object that is destroyed leaves the queue, and
// its callback never runs.
//
// Prints:
//     the label shows: page 1, page 2, page 3
//     the closed window got nothing
//     the channel has ended

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <QtCore/QCoreApplication>
#include <QtCore/QObject>

#include <futon/futon.hpp>
#include <futon/qt.hpp>

namespace {

using Pages = futon::Channel<std::string>;

/// What a window shows of what a thread loads.
class Label : public QObject {
public:
    explicit Label(Pages& pages) : pages_(pages) { next(); }

    const std::string& text() const { return text_; }

private:
    void next() { futon::qt::call_back(pages_.receiving(), this, &Label::show); }

    void show(futon::Received<std::string> page) {
        if (!page) return QCoreApplication::quit();  // closed
        text_ += text_.empty() ? *page : ", " + *page;
        next();
    }

    Pages& pages_;
    std::string text_;
};

}  // namespace

int main(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    Pages pages(1);
    futon::qt::Loop loop;

    bool is_quiet = true;
    auto closed = std::make_unique<QObject>();
    futon::qt::call_back(pages.receiving(), closed.get(), [&](auto) { is_quiet = false; });
    closed.reset();  // leaves the channel to the label

    Label label(pages);
    std::jthread loader([&] {
        int number = 1;
        while (number <= 3 && pages.send("page " + std::to_string(number))) ++number;
        pages.close();
    });
    QCoreApplication::exec();

    const bool is_right = label.text() == "page 1, page 2, page 3";
    std::printf("the label shows: %s\n", label.text().c_str());
    std::printf("the closed window got %s\n", is_quiet ? "nothing" : "A PAGE");
    std::puts("the channel has ended");
    return is_right && is_quiet ? 0 : 1;
}
