# SPDX-License-Identifier: MIT
# The library and futon/addon.h, for addons that are built with node-gyp: what futon_addon.cmake is with CMake. gyp.js says how it
# is used.
{
  'variables': {
    'futon_library': '<!(node scripts/check_headers.js "<(node_root_dir)")',
    # Node's own settings are those of an older standard, and without what the standard library of C++ needs.
    'futon_cflags': ['-std=c++20', '-fexceptions', '-frtti', '-fvisibility=hidden', '-fvisibility-inlines-hidden'],
    'futon_not_cflags': ['-std=gnu++14', '-std=gnu++17', '-std=gnu++20', '-std=c++17', '-fno-exceptions', '-fno-rtti'],
  },
  'targets': [
    {
      'target_name': 'futon_addon',
      'type': 'static_library',
      'cflags_cc': ['<@(futon_cflags)', '-O2'],
      'cflags_cc!': ['<@(futon_not_cflags)'],
      'conditions': [['clang==0', {'cflags_cc': ['-fno-semantic-interposition']}]],
      'defines': ['FUTON_STATIC'],
      'include_dirs': [
        '<(futon_library)/include',
        '<(futon_library)/src',
        '<!@(node scripts/library.js folders)',
      ],
      'sources': ['<!@(node scripts/library.js sources)'],
      'direct_dependent_settings': {
        'cflags_cc': ['<@(futon_cflags)'],
        'cflags_cc!': ['<@(futon_not_cflags)'],
        'defines': ['FUTON_STATIC'],
        'include_dirs': ['include', '<(futon_library)/include'],
      },
      'link_settings': {
        # Node unloads an addon with the last worker that loaded it; but threads of others may be waking one of its waiters.
        'ldflags': ['-Wl,-z,nodelete', '-pthread'],
      },
    },
  ],
}
