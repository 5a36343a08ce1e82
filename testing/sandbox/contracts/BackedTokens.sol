// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20Wrapper} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Wrapper.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// Shares of a vault of another token (EIP-4626): whoever pays in gets some.
contract ShareToken is ERC4626 {
    constructor(string memory name_, string memory symbol_, IERC20 asset_) ERC20(name_, symbol_) ERC4626(asset_) {}
}

/// Another token wrapped one for one.
contract WrappedToken is ERC20Wrapper {
    constructor(string memory name_, string memory symbol_, IERC20 underlying)
        ERC20(name_, symbol_)
        ERC20Wrapper(underlying)
    {}
}

/// Who burns gets his part of the ether that it holds.
contract FloorToken is ERC20 {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    receive() external payable {}

    function redeem(uint256 amount) external {
        uint256 part = (address(this).balance * amount) / totalSupply();
        _burn(msg.sender, amount);
        (bool ok,) = msg.sender.call{value: part}("");
        require(ok);
    }
}

/// Balances of many tokens by their number (EIP-6909).
contract ManyTokens {
    mapping(address holder => mapping(uint256 id => uint256)) public balanceOf;
    mapping(address holder => mapping(address operator => bool)) public isOperator;
    mapping(address holder => mapping(address spender => mapping(uint256 id => uint256))) public allowance;

    event Transfer(
        address caller, address indexed sender, address indexed receiver, uint256 indexed id, uint256 amount
    );
    event OperatorSet(address indexed owner, address indexed operator, bool approved);

    constructor(uint256 id, uint256 supply, address to) {
        balanceOf[to][id] = supply;
        emit Transfer(msg.sender, address(0), to, id, supply);
    }

    function setOperator(address operator, bool approved) external returns (bool) {
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    function transfer(address receiver, uint256 id, uint256 amount) external returns (bool) {
        balanceOf[msg.sender][id] -= amount;
        balanceOf[receiver][id] += amount;
        emit Transfer(msg.sender, msg.sender, receiver, id, amount);
        return true;
    }

    function transferFrom(address sender, address receiver, uint256 id, uint256 amount) external returns (bool) {
        if (msg.sender != sender && !isOperator[sender][msg.sender]) allowance[sender][msg.sender][id] -= amount;
        balanceOf[sender][id] -= amount;
        balanceOf[receiver][id] += amount;
        emit Transfer(msg.sender, sender, receiver, id, amount);
        return true;
    }
}

/// One of many tokens as an ERC-20 of its own: it holds them, and who pays in gets as many.
contract FacadeToken is ERC20 {
    ManyTokens public immutable many;
    uint256 public immutable id;

    constructor(string memory name_, string memory symbol_, ManyTokens many_, uint256 id_) ERC20(name_, symbol_) {
        many = many_;
        id = id_;
    }

    function deposit(uint256 amount) external {
        require(many.transferFrom(msg.sender, address(this), id, amount));
        _mint(msg.sender, amount);
    }

    function withdraw(uint256 amount) external {
        _burn(msg.sender, amount);
        require(many.transfer(msg.sender, id, amount));
    }
}
