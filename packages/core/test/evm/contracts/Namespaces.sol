// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose variables are in namespaces (ERC-7201), as OpenZeppelin's upgradeable ones are.

import {AccessControlUpgradeable} from "@openzeppelin/contracts-upgradeable/access/AccessControlUpgradeable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {ERC20PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PausableUpgradeable.sol";
import {ERC20PermitUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";

contract Permitted is ERC20PermitUpgradeable, OwnableUpgradeable { // signs for a name that is kept in storage
    function initialize(string memory name, string calldata symbol, address owner) external initializer {
        __ERC20_init(name, symbol);
        __ERC20Permit_init(name);
        __Ownable_init(owner);
    }
    function mint(address to, uint256 v) external onlyOwner { _mint(to, v); }
}

contract Roles is ERC20PausableUpgradeable, ERC20PermitUpgradeable, AccessControlUpgradeable {
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    function initialize(string memory name, string calldata symbol, address admin) external initializer {
        __ERC20_init(name, symbol);
        __ERC20Permit_init(name);
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }
    function pause() external onlyRole(PAUSER_ROLE) { _pause(); }
    function unpause() external onlyRole(PAUSER_ROLE) { _unpause(); }
    function mint(address to, uint256 v) external onlyRole(MINTER_ROLE) { _mint(to, v); }
    function _update(address f, address t, uint256 v) internal override(ERC20Upgradeable, ERC20PausableUpgradeable) { super._update(f, t, v); }
}

// As SolidState keeps its variables: at the hash of a name that it publishes.
abstract contract Hashed {
    struct Layout {
        mapping(address => uint256) balances;
        mapping(address => mapping(address => uint256)) allowances;
        uint256 totalSupply;
        string name;
        address owner;
    }
    function place() internal pure virtual returns (bytes32);
    function layout() internal pure returns (Layout storage l) { bytes32 slot = place(); assembly { l.slot := slot } }
    function totalSupply() external view returns (uint256) { return layout().totalSupply; }
    function balanceOf(address a) external view returns (uint256) { return layout().balances[a]; }
    function allowance(address a, address b) external view returns (uint256) { return layout().allowances[a][b]; }
    function approve(address s, uint256 v) external returns (bool) { layout().allowances[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { layout().allowances[f][msg.sender] -= v; _move(f, t, v); return true; }
    function rename(string calldata n) external { require(msg.sender == layout().owner); layout().name = n; }
    function mint(address t, uint256 v) external { require(msg.sender == layout().owner); layout().balances[t] += v; layout().totalSupply += v; }
    function _move(address f, address t, uint256 v) private { layout().balances[f] -= v; layout().balances[t] += v; }
}

contract Published is Hashed {
    function place() internal pure override returns (bytes32) { return keccak256("solidstate.contracts.storage.ERC20Base"); }
}

contract Unpublished is Hashed {
    function place() internal pure override returns (bytes32) { return keccak256("a name that nobody published"); }
}

contract Far { // a list behind the room that contracts leave which are upgraded
    uint256[404] private room;
    uint256[] public all;
    function add(uint256 v) external { all.push(v); }
}
