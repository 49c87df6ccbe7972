// SPDX-License-Identifier: MIT
'use strict';
// For addons that are built with node-gyp. In their binding.gyp:
//
//     'dependencies': ["<!(node -p \"require('futon/gyp')\"):futon_addon"]
//
// This is the path of futon.gyp, relative to the folder of that file, where node-gyp runs.

const path = require('node:path');

module.exports = path.join(path.relative('.', __dirname), 'futon.gyp');
