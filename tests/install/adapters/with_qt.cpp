// SPDX-License-Identifier: MIT
#include <futon/qt.hpp>

#include <thread>

#include <QtCore/QCoreApplication>
#include <futon/futon.hpp>

int main(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    futon::qt::Loop loop;
    futon::Event event;
    futon::qt::call_back(event.waiting(), &app, [](futon::WaitResult) { QCoreApplication::quit(); });
    std::jthread setter([&] { event.set(); });
    return QCoreApplication::exec();
}
