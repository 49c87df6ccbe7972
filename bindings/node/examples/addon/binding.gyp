# The same addon with node-gyp: node-gyp rebuild
{
  'targets': [
    {
      'target_name': 'frames',
      'sources': ['frames.cpp'],
      'dependencies': ["<!(node -p \"require('futon/gyp')\"):futon_addon"],
    },
  ],
}
